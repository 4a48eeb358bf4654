// `node bundle.mjs PACKAGES WAY` bundles main.mjs of the current folder into out/. Only input, output
// and format are set. vite-N-dev serves the folder instead, and prints the port.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, way] = process.argv.slice(2);
const require = createRequire(join(packages, "x.js"));

const input = "main.mjs";
const isolated = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

const esbuild = (format, file, more) =>
  require("esbuild").build({ entryPoints: [input], bundle: true, format, outfile: `out/${file}`, ...more });

async function rollup(format, file) {
  const { nodeResolve } = require("@rollup/plugin-node-resolve");
  const bundle = await require("rollup").rollup({ input, plugins: [nodeResolve()] });
  await bundle.write({ format, file: `out/${file}` });
}

const webpack = (filename, more) =>
  new Promise((resolve, reject) => {
    const output = { path: join(process.cwd(), "out"), filename };
    require("webpack")({ mode: "production", entry: `./${input}`, output, ...more }, (error, stats) =>
      error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve(),
    );
  });

const vite = (version) => import(pathToFileURL(join(packages, `vite-${version}/dist/node/index.js`)));

async function viteBuild(version) {
  const { build } = await vite(version);
  await build({ configFile: false, logLevel: "warn", build: { outDir: "out" } });
}

async function viteServe(version) {
  const { createServer } = await vite(version);
  const server = { host: "127.0.0.1", port: 0, headers: isolated };
  const { httpServer } = await (await createServer({ configFile: false, logLevel: "warn", server })).listen();
  console.log(httpServer.address().port);
}

const WAYS = {
  "esbuild-esm": () => esbuild("esm", "main.mjs"),
  "esbuild-iife": () => esbuild("iife", "main.js", { minify: true }),
  "esbuild-cjs": () => esbuild("cjs", "main.cjs", { platform: "node" }),
  "rollup-esm": () => rollup("es", "main.mjs"),
  "rollup-cjs": () => rollup("cjs", "main.cjs"),
  webpack: () => webpack("main.js"),
  "webpack-node": () => webpack("main.cjs", { target: "node" }),
  "vite-7-build": () => viteBuild(7),
  "vite-8-build": () => viteBuild(8),
  "vite-7-dev": () => viteServe(7),
  "vite-8-dev": () => viteServe(8),
};

await WAYS[way]();

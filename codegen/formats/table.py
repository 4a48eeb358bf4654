"""The block formats of GGML, from ggml/src/ggml-common.h and the dequantisers of ggml/src/ggml-quants.c.

An entry is all that the project knows of a format. Fields are in the order of the bytes of GGML's struct.
"""

from __future__ import annotations

from codegen.formats.codes import Codes, Plane, Trits
from codegen.formats.format import Factor, Format, Number, Sums

_IQ4 = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
_FP4 = (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)
"""E2M1, doubled so that all are integers; the scales that multiply them are halved."""


def _f16(at: int, codes: Codes | None = None, sign: int = 1) -> Factor:
    return Factor(Number.F16, at, codes=codes, sign=sign)


def _bytes(count: int, at: int) -> Codes:
    """Signed bytes; GGML's quantisers make no -128."""
    return Codes(count, (Plane(at, bits=8, run=count),), signed=True, used=(-127, 127))


def _six_bits(at: int, place: int) -> Codes:
    """The eight scales (place 0) or minima (place 4) in the 12 bytes of Q4_K and Q5_K."""
    first = at + place
    return Codes(
        8,
        (
            Plane(first, bits=6, run=4, shifts=(0,), codes=range(4)),
            Plane(at + 8, bits=4, run=4, shifts=(place,), codes=range(4, 8)),
            Plane(first, bits=2, run=4, shifts=(6,), codes=range(4, 8)),
        ),
    )


def _one(number: Number) -> Format:
    """A number as a block of one element."""
    return Format(number, 1, number.bytes, Factor(number, 0), Codes(1, table=(1,)), number)


Q4_0 = Format(
    "q4_0",
    elements=32,
    bytes=18,
    scale=_f16(0),
    codes=Codes(32, (Plane(2, bits=4, run=16),), zero=8),
    activations="q8_0",
)
Q4_1 = Format(
    "q4_1",
    elements=32,
    bytes=20,
    scale=_f16(0),
    codes=Codes(32, (Plane(4, bits=4, run=16),)),
    activations="q8_1",
    minimum=_f16(2),
)
Q5_0 = Format(
    "q5_0",
    elements=32,
    bytes=22,
    scale=_f16(0),
    codes=Codes(32, (Plane(6, bits=4, run=16), Plane(2, bits=1, run=1)), zero=16),
    activations="q8_0",
)
Q5_1 = Format(
    "q5_1",
    elements=32,
    bytes=24,
    scale=_f16(0),
    codes=Codes(32, (Plane(8, bits=4, run=16), Plane(4, bits=1, run=1))),
    activations="q8_1",
    minimum=_f16(2),
)
Q8_0 = Format("q8_0", elements=32, bytes=34, scale=_f16(0), codes=_bytes(32, 2), activations="q8_0")
Q2_K = Format(
    "q2_K",
    elements=256,
    bytes=84,
    scale=_f16(80, Codes(16, (Plane(0, bits=4, run=16, shifts=(0,)),))),
    codes=Codes(256, (Plane(16, bits=2, run=32),)),
    activations="q8_K",
    minimum=_f16(82, Codes(16, (Plane(0, bits=4, run=16, shifts=(4,)),)), sign=-1),
)
Q3_K = Format(
    "q3_K",
    elements=256,
    bytes=110,
    scale=_f16(108, Codes(16, (Plane(96, bits=4, run=8), Plane(104, bits=2, run=4)), zero=32)),
    codes=Codes(256, (Plane(32, bits=2, run=32), Plane(0, bits=1, run=32)), zero=4),
    activations="q8_K",
)
Q4_K = Format(
    "q4_K",
    elements=256,
    bytes=144,
    scale=_f16(0, _six_bits(4, 0)),
    codes=Codes(256, (Plane(16, bits=4, run=32),)),
    activations="q8_K",
    minimum=_f16(2, _six_bits(4, 4), sign=-1),
)
Q5_K = Format(
    "q5_K",
    elements=256,
    bytes=176,
    scale=_f16(0, _six_bits(4, 0)),
    codes=Codes(256, (Plane(48, bits=4, run=32), Plane(16, bits=1, run=32))),
    activations="q8_K",
    minimum=_f16(2, _six_bits(4, 4), sign=-1),
)
Q6_K = Format(
    "q6_K",
    elements=256,
    bytes=210,
    scale=_f16(208, Codes(16, (Plane(192, bits=8, run=16),), signed=True)),
    codes=Codes(256, (Plane(0, bits=4, run=64), Plane(128, bits=2, run=32)), zero=32),
    activations="q8_K",
)
IQ4_NL = Format(
    "iq4_nl",
    elements=32,
    bytes=18,
    scale=_f16(0),
    codes=Codes(32, (Plane(2, bits=4, run=16),), table=_IQ4),
    activations="q8_0",
)
IQ4_XS = Format(
    "iq4_xs",
    elements=256,
    bytes=136,
    scale=_f16(0, Codes(8, (Plane(4, bits=4, run=1), Plane(2, bits=2, run=1)), zero=32)),
    codes=Codes(256, (Plane(8, bits=4, run=16),), table=_IQ4),
    activations="q8_K",
)
MXFP4 = Format(
    "mxfp4",
    elements=32,
    bytes=17,
    scale=Factor(Number.E8M0, 0),
    codes=Codes(32, (Plane(1, bits=4, run=16),), table=_FP4),
    activations="q8_0",
)
NVFP4 = Format(
    "nvfp4",
    elements=64,
    bytes=36,
    scale=Factor(Number.UE4M3, 0, 4),
    codes=Codes(64, (Plane(4, bits=4, run=8),), table=_FP4),
    activations="q8_0",
)
TQ1_0 = Format(
    "tq1_0",
    elements=256,
    bytes=54,
    scale=_f16(52),
    codes=Codes(
        256,
        (
            Trits(0, per_byte=5, run=32, codes=range(160)),
            Trits(32, per_byte=5, run=16, codes=range(160, 240)),
            Trits(48, per_byte=4, run=4, codes=range(240, 256)),
        ),
        zero=1,
    ),
    activations="q8_K",
)
TQ2_0 = Format(
    "tq2_0",
    elements=256,
    bytes=66,
    scale=_f16(64),
    codes=Codes(256, (Plane(0, bits=2, run=32),), zero=1, used=(0, 2)),
    activations="q8_K",
)
Q1_0 = Format(
    "q1_0",
    elements=128,
    bytes=18,
    scale=_f16(0),
    codes=Codes(128, (Plane(2, bits=1, run=1),), table=(-1, 1)),
    activations="q8_0",
)
Q2_0 = Format(
    "q2_0",
    elements=64,
    bytes=18,
    scale=_f16(0),
    codes=Codes(64, (Plane(2, bits=2, run=1),), zero=1),
    activations="q8_0",
)
Q8_1 = Format("q8_1", elements=32, bytes=36, scale=_f16(0), codes=_bytes(32, 4), sums=Sums(2, 1, scaled=True))
Q8_K = Format(
    "q8_K",
    elements=256,
    bytes=292,
    scale=Factor(Number.F32, 0),
    codes=_bytes(256, 4),
    sums=Sums(260, 16, scaled=False),
)
F16, BF16, F32 = _one(Number.F16), _one(Number.BF16), _one(Number.F32)

FORMATS = {
    one.name: one
    for one in (
        *(Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS),
        *(MXFP4, NVFP4, TQ1_0, TQ2_0, Q1_0, Q2_0, F16, BF16, F32, Q8_1, Q8_K),
    )
}

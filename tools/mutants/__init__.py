"""Realistic faults, put into templates and plan one at a time: tests of the tests."""

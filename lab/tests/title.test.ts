// Titles of runs, alone and beside each other.

import assert from "node:assert/strict";
import { test } from "node:test";

import { titleOf } from "../src/title.ts";

const told = (set: [string, string][], scheme = "erica", changes = 0) => ({ set, scheme, changes });

test("a title has the control scheme first, then variants, then what was set last", () => {
  const set: [string, string][] = [["switch.control", '{scheme="efci", threshold="100 cells"}'], ["abr.rif", "0.0625"], ["abr.rdf", "0.0625"]];
  assert.equal(titleOf("Fair share", told(set, "efci")), "Fair share, control efci, rdf 0.0625 and 1 more");
  assert.equal(titleOf("x", told([["tcp.recovery", '"sack"'], ["switch.discard", '{policy="epd"}'], ["tcp.mss", "9180 bytes"]])), "x, discard epd, mss 9180 bytes and 1 more");
  assert.equal(titleOf("x", told([["a.b", "1"], ["a.c", "2"]], "erica", 1)), "x, c 2, b 1, 1 change during the run");
  assert.equal(titleOf("x", told([])), "x");
});

test("beside another run a title has what differs", () => {
  const right: [string, string][] = [["switch.control", '{scheme="efci", threshold="100 cells"}'], ["abr.rif", "0.0625"], ["abr.rdf", "0.0625"]];
  // The left run has the scheme of its file, without a setting.
  assert.equal(titleOf("Fair share", told([]), told(right, "efci")), "Fair share, control erica");
  assert.equal(titleOf("Fair share", told(right, "efci"), told([])), "Fair share, control efci, rdf 0.0625 and 1 more");
  // Both have EFCI; they differ in RIF.
  const left: [string, string][] = right.map(([path, literal]) => [path, path === "abr.rif" ? "1" : literal]);
  assert.equal(titleOf("x", told(left, "efci"), told(right, "efci")), "x, rif 1");
  assert.equal(titleOf("x", told(right, "efci"), told(left, "efci")), "x, rif 0.0625");
  // Two equal runs have equal titles, as each would have alone.
  assert.equal(titleOf("x", told(left, "efci"), told(left, "efci")), titleOf("x", told(left, "efci")));
});

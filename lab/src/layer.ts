// Words and units that differ between the link layers.

/** True for a network, or the summary of its run, over Ethernet. */
export function isEthernet({ link_layer }: { link_layer?: "ethernet" }): boolean {
  return link_layer === "ethernet";
}

/** The name of the units that links carry (cells or packets), in the singular and the plural. */
export function carried(network: { link_layer?: "ethernet" }): { one: string; many: string } {
  return isEthernet(network) ? { one: "packet", many: "packets" } : { one: "cell", many: "cells" };
}

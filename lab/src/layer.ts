// The words and measures in which the link layers differ.

/** True for a network, or the summary of its run, over Ethernet. */
export function isEthernet({ link_layer }: { link_layer?: "ethernet" }): boolean {
  return link_layer === "ethernet";
}

/** The name of what links carry, one and many. */
export function carried(network: { link_layer?: "ethernet" }): { one: string; many: string } {
  return isEthernet(network) ? { one: "packet", many: "packets" } : { one: "cell", many: "cells" };
}

"""The fluid model of EFCI held against the simulator; the module writes its evidence."""

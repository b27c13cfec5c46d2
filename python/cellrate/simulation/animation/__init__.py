"""Films of cells on the links of a network, in slow motion: HTML, GIF and MP4."""

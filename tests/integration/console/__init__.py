"""What operators use: the command line, the demo, images and manifests."""

"""Members, consumers and producers in Java, as their users build them."""

"""Groups, module by module: tables of transitions and short stories."""

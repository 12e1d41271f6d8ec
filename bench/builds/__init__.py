"""How this build compares with an earlier one: joins, departures and deaths, in one run."""

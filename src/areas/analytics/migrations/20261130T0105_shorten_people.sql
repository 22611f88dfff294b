-- Seven letters say who it was; hours are filled from these facts next.
update analytics_facts set spread = 'u' || right(spread, 7) where spread like 'u%';

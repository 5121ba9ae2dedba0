"""The whole site on one machine: the same processes as in production, started and watched by `manage.py up`."""

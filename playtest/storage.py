"""How static files are kept for serving: named by their content, compressed, imports between modules rewritten."""

from servestatic.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """A file's name changes with its content, so a browser may keep it for ever and never meets a stale mixture."""

    support_js_module_import_aggregation = True
    # Each link in a chain of imports takes a pass; with the usual five a sixth file in a row keeps the site from
    # starting.
    max_post_process_passes = 25

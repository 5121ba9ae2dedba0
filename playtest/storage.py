"""How static files are kept for serving: named by their content, compressed, imports between modules rewritten."""

from servestatic.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """A file's name changes with its content, so a browser may keep it for ever and never meets a stale mixture."""

    support_js_module_import_aggregation = True

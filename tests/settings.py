"""Settings of the tests: those of the product, in a folder of their own, with what would only cost time taken out."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

if "TESSERA_TEST_VAR" not in os.environ:
    folder = tempfile.mkdtemp(prefix="tessera-test-")
    # Workers of pytest-xdist are children of this process: they find the variable and share the folder.
    os.environ["TESSERA_TEST_VAR"] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["TESSERA_VAR"] = os.environ["TESSERA_TEST_VAR"]
# Kernels are named by what they are compiled from, so tests may share those of the product.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).resolve().parent.parent / "var" / "numba"))

from playtest.settings import *

# Pages are rendered without collecting files first; tests/browser meets the hashed ones of the real server.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_USE_MANIFEST = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if "TESSERA_TEST_POOL" in os.environ and not USES_SQLITE:
    DATABASES["default"]["OPTIONS"]["pool"] |= {"max_size": int(os.environ["TESSERA_TEST_POOL"])}

"""Judges OCFL storage roots, and every object in them, with ocfl-py.

It knows layouts 0002 and 0003 and lets its users add others: 0004 is a few lines. The layout of each
object is checked by them, and each object by itself, with its warnings.
"""

import sys, hashlib, ocfl
from ocfl.layout import Layout
from ocfl.layout_registry import add_layout
from ocfl.validator import Validator
class Hashed(Layout):
    def __init__(self):
        super().__init__()
        self.NAME = "0004-hashed-n-tuple-storage-layout"
    def read_layout_params(self, root_fs=None):
        pass
    def identifier_to_path(self, identifier):
        h = hashlib.sha256(identifier.encode()).hexdigest()
        return "/".join([h[:3], h[3:6], h[6:9], h])
add_layout("0004-hashed-n-tuple-storage-layout", Hashed)
good = True
for place in sys.argv[1:]:
    root = ocfl.StorageRoot(root=place)
    good = root.validate(validate_objects=False) and good
    print(place, root.log, root.errors, root.traversal_errors)
    for path, identifier in root.list_objects():
        if root.layout.identifier_to_path(identifier) != path:
            print("misplaced", path)
            good = False
        validator = Validator(log_warnings=True)
        good = validator.validate_object(place + "/" + path) and good
        print("object", identifier, str(validator))
sys.exit(0 if good else 1)

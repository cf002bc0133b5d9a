"""Executes a notebook from top to bottom, as CI does with those of examples/.

Usage: run_notebook.py NOTEBOOK [OUTPUT]   (OUTPUT: the notebook with what its cells gave)
Exit codes: 0 done, 1 a cell failed, 77 this Python has no nbclient or not what the notebook imports.
"""

import sys

try:
    import ipykernel  # noqa: F401
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
except ImportError as error:
    print(f"skipped: {sys.executable}: {error} (Debian, Ubuntu: python3-nbclient, python3-ipykernel)")
    sys.exit(77)

notebook = nbformat.read(sys.argv[1], as_version=4)
try:
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
except CellExecutionError as error:
    if error.ename == "ModuleNotFoundError" and "'onda" not in error.evalue:
        print(f"skipped: {sys.executable}: {error.evalue} (Debian, Ubuntu: python3-matplotlib, python3-scipy, python3-h5py)")
        sys.exit(77)
    print(error)
    sys.exit(1)
for cell in notebook.cells:  # warnings would stand in the page as red boxes
    for output in cell.get("outputs", []):
        if output.output_type == "stream" and output.name == "stderr":
            print(f"a cell says on stderr: {output.text}")
            sys.exit(1)
if len(sys.argv) > 2:
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(notebook, sys.argv[2])
print(f"{sys.argv[1]}: {len(notebook.cells)} cells")

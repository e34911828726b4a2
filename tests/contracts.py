"""A contract for import-linter: some modules import only each other and some named packages."""

import sys

from importlinter import Contract, ContractCheck, fields, output
from importlinter.domain.helpers import module_expressions_to_modules


class ImportsOnly(Contract):
    """Modules that import each other, the allowed packages, and the standard library."""

    type_name = "imports_only"
    modules = fields.SetField(subfield=fields.ModuleExpressionField())
    allowed = fields.SetField(subfield=fields.StringField())
    ignore_imports = fields.SetField(subfield=fields.ImportExpressionField(), required=False)

    def check(self, graph, verbose):
        for expression in self.ignore_imports or ():
            for found in graph.find_matching_direct_imports(import_expression=str(expression)):
                graph.remove_import(**found)
        found = module_expressions_to_modules(graph, self.modules, as_packages=True)
        modules = {module.name for module in found} & graph.modules
        allowed = {*self.allowed, *sys.stdlib_module_names}
        wrong = [
            (module, other)
            for module in sorted(modules)
            for other in sorted(graph.find_modules_directly_imported_by(module))
            if other not in modules and other.partition(".")[0] not in allowed
        ]
        return ContractCheck(kept=not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check):
        for module, other in check.metadata["wrong"]:
            output.print_error(f"{module} imports {other}")

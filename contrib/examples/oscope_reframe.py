"""ReFrame: one record of each node that ReFrame runs this on, and a check that no witness contradicts it.

    reframe -C site.py -c oscope_reframe.py -r --distribute -S shared=/shared/fleet -S selection=all
"""

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class OscopeNode(rfm.RunOnlyRegressionTest):
    shared = variable(str)
    selection = variable(str, value="headline")
    profile = variable(str, value="standard")
    descr = "costs of the operating system, by oscope"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 1
    exclusive_access = True
    executable = "oscope"

    @run_before("run")
    def set_words(self):
        self.executable_opts = ["fleet", "node", "--shared", self.shared, *self.selection.split(),
                                "--", "--strict", "--profile", self.profile]

    @sanity_function
    def is_recorded(self):
        return sn.assert_found(r"\.oscope\.jsonl$", self.stdout)

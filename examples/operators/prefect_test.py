"""The task, in a flow, against a server of Prefect that lasts as long as the test."""

import unittest
from unittest import mock

import sluice
from pipelines import Pipelines
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.testing.utilities import prefect_test_harness
from prefect_flow import sluice_task


def setUpModule():
    unittest.enterModuleContext(prefect_test_harness(server_startup_timeout=120))


class Task(Pipelines):
    def run_flow(self, task):
        @flow
        def once():
            return task()

        return once()

    def test_facts(self):
        with mock.patch("prefect_flow.add_asset_metadata") as described:
            facts = self.run_flow(sluice_task("file:///rows/train", self.pipeline, vars={"out": self.out}))
        self.assertEqual((facts["written"], facts["rejected"]), (2, 1))
        [(asset, metadata)] = [call.args for call in described.call_args_list]
        self.assertEqual((asset.key, metadata["written"]), ("file:///rows/train", 2))
        with get_client(sync_client=True) as client:
            links = client.request("POST", "/artifacts/filter", json={}).json()
        self.assertEqual([a["type"] for a in links if (self.out / "report.html").as_uri() in a["data"]], ["markdown"])

    def test_mistakes(self):
        """A pipeline with mistakes is not tried again."""
        run = mock.Mock(side_effect=sluice.run)
        with mock.patch("sluice.run", run), self.assertRaisesRegex(sluice.Failed, "no sink"):
            self.run_flow(sluice_task("file:///rows/train", self.wrong, retries=2))
        self.assertEqual(run.call_count, 1)

    def test_retry(self):
        """Another try goes on where the first was interrupted."""
        resumed = self.interrupt_first()
        self.run_flow(sluice_task("file:///rows/train", self.pipeline, vars={"out": self.out}, retries=1))
        self.assertEqual(resumed, [False, True])


if __name__ == "__main__":
    unittest.main()

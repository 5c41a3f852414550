"""The asset, materialized by Dagster in this process."""

import unittest

import dagster
from dagster_asset import sluice_asset
from pipelines import Pipelines


class Asset(Pipelines):
    def materialize(self, asset):
        return dagster.materialize([asset], raise_on_error=False)

    def test_metadata(self):
        asset = sluice_asset("rows", self.pipeline, vars={"out": self.out}, group_name="corpus")
        versions = []
        for _ in range(2):
            result = self.materialize(asset)
            self.assertTrue(result.success)
            [made] = result.asset_materializations_for_node("rows")
            self.assertEqual(made.metadata["written"].value, 2)
            self.assertEqual(made.metadata["rejected"].value, 1)
            self.assertEqual(made.metadata["dagster/row_count"].value, 2)
            self.assertEqual(made.metadata["report"].value, (self.out / "report.html").as_uri())
            self.assertTrue(made.metadata["receipt"].value["balanced"])
            versions.append(made.tags["dagster/data_version"])
        self.assertEqual(versions[0], versions[1])

    def test_mistakes(self):
        """A pipeline with mistakes is not tried again."""
        asset = sluice_asset("rows", self.wrong, retry_policy=dagster.RetryPolicy(max_retries=3))
        result = self.materialize(asset)
        self.assertFalse(result.success)
        [failed] = result.get_step_failure_events()
        self.assertIn("sink", failed.step_failure_data.user_failure_data.description)
        self.assertEqual(len([e for e in result.all_events if e.is_step_restarted]), 0)

    def test_retry(self):
        """Another try goes on where the first was interrupted."""
        resumed = self.interrupt_first()
        result = self.materialize(sluice_asset("rows", self.pipeline, vars={"out": self.out}, retry_policy=dagster.RetryPolicy(max_retries=1)))
        self.assertTrue(result.success)
        self.assertEqual(resumed, [False, True])


if __name__ == "__main__":
    unittest.main()

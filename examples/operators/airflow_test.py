"""The operator, in a DAG that Airflow runs in this process, with a database of its own."""

import os
import pathlib
import runpy
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

home = tempfile.TemporaryDirectory()
unittest.addModuleCleanup(home.cleanup)
os.environ |= {  # read when airflow is imported
    "AIRFLOW_HOME": home.name, "AIRFLOW__CORE__LOAD_EXAMPLES": "False", "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
    "AIRFLOW__CORE__EXECUTOR": "LocalExecutor", "AIRFLOW__CORE__DAGS_FOLDER": home.name,
}

import sluice  # noqa: E402
from airflow.models.asset import AssetEvent  # noqa: E402
from airflow.models.xcom import XComModel  # noqa: E402
from airflow.utils.session import create_session  # noqa: E402
from pipelines import Pipelines  # noqa: E402

DAG_FILE = """
from airflow.sdk import DAG, Asset
from airflow_operator import SluiceOperator

with DAG({dag!r}, schedule=None) as dag:
    SluiceOperator(
        task_id="rows", pipeline={pipeline!r}, vars={vars!r}, outlets=[Asset("file:///rows/train")],
        retries={retries}, retry_delay=0,
    )
"""


def setUpModule():
    subprocess.run([sys.executable, "-m", "airflow", "db", "migrate"], check=True, capture_output=True)


class Operator(Pipelines):
    def run_dag(self, dag, pipeline, vars=None, retries=0):
        """Runs a DAG of one task and returns the task as it ended."""
        file = pathlib.Path(home.name, dag + ".py")
        file.write_text(DAG_FILE.format(dag=dag, pipeline=str(pipeline), vars=vars, retries=retries))
        run = runpy.run_path(str(file))["dag"].test()
        return run.get_task_instance("rows")

    def test_facts(self):
        task = self.run_dag("facts", self.pipeline, {"out": str(self.out)})
        self.assertEqual(task.state, "success")
        with create_session() as session:
            [event] = session.query(AssetEvent)
            values = {x.key: XComModel.deserialize_value(x) for x in session.query(XComModel).where(XComModel.dag_id == "facts")}
        report = (self.out / "report.html").as_uri()
        for facts in (event.extra, values["return_value"]):
            self.assertEqual((facts["written"], facts["rejected"], facts["report"]), (2, 1, report))
        self.assertEqual(values["_link_ReportLink"], report)

    def test_mistakes(self):
        """A pipeline with mistakes is not tried again."""
        task = self.run_dag("mistakes", self.wrong, retries=2)
        self.assertEqual((task.state, task.try_number), ("failed", 1))

    def test_retry(self):
        """Another try goes on where the first was interrupted."""
        resumed = self.interrupt_first()
        task = self.run_dag("retry", self.pipeline, {"out": str(self.out)}, retries=1)
        self.assertEqual((task.state, resumed), ("success", [False, True]))

    def test_killed(self):
        """A task that is killed interrupts its run."""
        ended = []

        def killed(*args, **options):
            try:
                signal.raise_signal(signal.SIGTERM)
            except KeyboardInterrupt:
                ended.append("interrupted")
                raise

        with mock.patch("sluice.run", killed):
            task = self.run_dag("killed", self.pipeline, {"out": str(self.out)})
        self.assertEqual((task.state, ended), ("failed", ["interrupted"]))


if __name__ == "__main__":
    unittest.main()

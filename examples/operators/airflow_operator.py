"""A pipeline of sluice as an operator of Airflow: its assets have the account of the run, and the task links the report."""

import sluice
from airflow.sdk import BaseOperator, BaseOperatorLink
from airflow.sdk.exceptions import AirflowFailException
from airflow.sdk.execution_time.xcom import XCom


class ReportLink(BaseOperatorLink):
    """The page about the run."""

    name = "Report"

    def get_link(self, operator, *, ti_key):
        facts = XCom.get_value(ti_key=ti_key, key="return_value")
        return (facts or {}).get("report", "")


class SluiceOperator(BaseOperator):
    """Runs a pipeline. Assets in outlets get the facts of the run, which are the result of the task too."""

    template_fields = ("pipeline", "vars")
    operator_extra_links = (ReportLink(),)

    def __init__(self, *, pipeline, vars=None, **declared):
        super().__init__(**declared)
        self.pipeline, self.vars, self.running = pipeline, vars, False

    def execute(self, context):
        self.running = True
        try:
            receipt = sluice.run(
                self.pipeline, vars=self.vars, resume=context["ti"].try_number > 1,
                progress=lambda now: self.log.info("%s records read", now.get("records_read")),
            )
        except sluice.Failed as e:
            if e.exit_code == 2:  # a pipeline with mistakes has them tomorrow too
                raise AirflowFailException(str(e)) from e
            raise
        finally:
            self.running = False
        facts = receipt.facts()
        for asset in self.outlets:
            context["outlet_events"][asset].extra = facts
        return facts

    def on_kill(self):
        if self.running:
            raise KeyboardInterrupt  # in sluice.run, which waits for a checkpoint that the next try goes on from

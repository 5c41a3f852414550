"""A pipeline of sluice as a task of Prefect: the rows are an asset with the account of the run, and the report is an artifact."""

import json

import sluice
from prefect import get_run_logger
from prefect.artifacts import create_link_artifact
from prefect.assets import Asset, add_asset_metadata, materialize
from prefect.runtime import task_run


def sluice_task(asset, pipeline, *, vars=None, **declared):
    """Returns a task that runs a pipeline. asset is the address of what it writes; declared is what prefect.task takes, such as retries."""
    asset = Asset(key=asset)

    def is_worth_a_retry(task, run, state):  # a pipeline with mistakes has them tomorrow too
        try:
            state.result()
        except sluice.Failed as e:
            return e.exit_code != 2
        except Exception:
            return True

    @materialize(asset, **{"name": "sluice", "retry_condition_fn": is_worth_a_retry, **declared})
    def rows():
        log = get_run_logger()
        receipt = sluice.run(
            pipeline, vars=vars, resume=task_run.run_count > 1,
            progress=lambda now: log.info("%s records read", now.get("records_read")),
        )
        facts = receipt.facts()
        add_asset_metadata(asset, {**facts, "receipt": json.dumps(dict(receipt))})
        if "report" in facts:
            create_link_artifact(facts["report"], link_text="report", description=f"{facts['written']} rows of {facts['pipeline']}")
        return facts

    return rows

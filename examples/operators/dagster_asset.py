"""A pipeline of sluice as an asset of Dagster: its metadata is the account of the run."""

import dagster
import sluice


def sluice_asset(name, pipeline, *, vars=None, **declared):
    """Returns an asset that runs a pipeline. declared is what dagster.asset takes, such as deps, group_name or retry_policy."""

    @dagster.asset(name=name, kinds={"sluice"}, **declared)
    def asset(context: dagster.AssetExecutionContext):
        try:
            receipt = sluice.run(
                pipeline, vars=vars, resume=context.retry_number > 0,
                progress=lambda now: context.log.info("%s records read", now.get("records_read")),
            )
        except sluice.Failed as e:  # a pipeline with mistakes has them tomorrow too
            raise dagster.Failure(str(e), metadata={"exit_code": e.exit_code}, allow_retries=e.exit_code != 2) from e
        facts = receipt.facts()
        metadata = {key: dagster.MetadataValue.url(fact) if key == "report" else fact for key, fact in facts.items()}
        metadata |= {"dagster/row_count": facts["written"], "receipt": dagster.MetadataValue.json(dict(receipt))}
        return dagster.MaterializeResult(metadata=metadata, data_version=dagster.DataVersion(versions(receipt)))

    return asset


def versions(receipt):
    """The hash of what was written: an asset downstream is stale when it changes, and not when the run does."""
    return ",".join(sorted(o.get("sha256") or o.get("blake3") or o.get("xxh3") for o in receipt["outputs"] if "beside" not in o))

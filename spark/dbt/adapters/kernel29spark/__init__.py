from dbt.adapters.base import AdapterPlugin
from dbt.adapters.kernel29spark.adapter import Kernel29SparkAdapter, Kernel29SparkCredentials
from dbt.include import kernel29spark

Plugin = AdapterPlugin(
    adapter=Kernel29SparkAdapter,
    credentials=Kernel29SparkCredentials,
    include_path=kernel29spark.PACKAGE_PATH,
    dependencies=["spark"],
)

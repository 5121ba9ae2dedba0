from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evolution", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="generation",
            name="bar",
            field=models.FloatField(
                help_text="Who cannot reach this fitness any more stops early; null: nobody.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="evolutionrun",
            name="current",
            field=models.PositiveIntegerField(
                default=0,
                help_text="Number of the last generation; 0: none is made yet. The finalists are the one after the last.",
            ),
        ),
        migrations.RemoveConstraint(model_name="evolutionrun", name="evolution_run_current_in_range"),
        migrations.AddConstraint(
            model_name="evolutionrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("current__lte", models.F("generations") + 1)), name="evolution_run_current_in_range"
            ),
        ),
    ]

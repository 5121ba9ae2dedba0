"""Who may start a study. Studies from before stay as they were: on the start page, and open by their address."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0009_study_time_limit'),
    ]

    operations = [
        # The default of this step is what the rows that are there get; from the next on, new ones get another.
        migrations.AddField(
            model_name='study',
            name='admission',
            field=models.SmallIntegerField(choices=[(1, 'listed'), (2, 'address'), (3, 'links')], default=1),
        ),
        migrations.AlterField(
            model_name='study',
            name='admission',
            field=models.SmallIntegerField(choices=[(1, 'listed'), (2, 'address'), (3, 'links')], db_default=2, default=2),
        ),
        migrations.AddConstraint(
            model_name='study',
            constraint=models.CheckConstraint(condition=models.Q(('admission__in', [1, 2, 3])), name='study_admission'),
        ),
    ]

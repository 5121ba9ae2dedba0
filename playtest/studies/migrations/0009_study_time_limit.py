"""The time that taking part in a study may take as a whole, and more of it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0008_links'),
    ]

    operations = [
        migrations.AddField(
            model_name='participant',
            name='ends_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='participant',
            name='extensions',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='participant',
            name='given_minutes',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(condition=models.Q(('ends_at__isnull', False), ('status', 4)), fields=['ends_at'], name='participant_time'),
        ),
    ]

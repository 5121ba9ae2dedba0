"""Rounds may have an end by time, and events of more time. On SQLite the check of events' kinds rewrites their table."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('levels', '0002_showcase'),
        ('studies', '0006_questions_after_rounds'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='event',
            name='event_kind',
        ),
        migrations.AddField(
            model_name='round',
            name='ends_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='round',
            name='extensions',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='event',
            name='kind',
            field=models.SmallIntegerField(choices=[(1, 'hidden'), (2, 'visible'), (3, 'focus'), (4, 'blur'), (5, 'offline'), (6, 'online'), (7, 'settings'), (8, 'shuffle_shown'), (9, 'hint_shown'), (10, 'limit_shown'), (11, 'skipped'), (12, 'page_hide'), (13, 'page_show'), (14, 'resized'), (15, 'help'), (32, 'connect'), (33, 'takeover'), (34, 'resume'), (35, 'incomplete'), (36, 'dropped'), (37, 'more_time')]),
        ),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(condition=models.Q(('ends_at__isnull', False), ('state', 2)), fields=['ends_at'], name='round_time'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 32, 33, 34, 35, 36, 37])), name='event_kind'),
        ),
    ]

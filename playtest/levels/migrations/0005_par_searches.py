"""Searches for par and their restarts."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('levels', '0004_what_if'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ParSearch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('boards_hash', models.CharField(max_length=64)),
                ('game_version', models.PositiveIntegerField()),
                ('solver', models.CharField(max_length=40)),
                ('parameters', models.JSONField()),
                ('seconds', models.PositiveIntegerField()),
                ('seed', models.BigIntegerField()),
                ('state', models.SmallIntegerField(choices=[(1, 'waiting'), (2, 'running'), (3, 'done'), (4, 'failed'), (5, 'cancelled')], default=1)),
                ('rev', models.PositiveIntegerField(default=0)),
                ('restarts_total', models.PositiveIntegerField()),
                ('restarts_done', models.PositiveIntegerField(default=0)),
                ('error', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('level_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='par_searches', to='levels.levelversion')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Restart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.SmallIntegerField(choices=[(1, 'waiting'), (2, 'leased'), (3, 'done'), (4, 'failed')], default=1)),
                ('lease_epoch', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('worker', models.CharField(blank=True, default='', max_length=120)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('error', models.TextField(blank=True, default='')),
                ('number', models.PositiveIntegerField()),
                ('limit', models.FloatField()),
                ('spent', models.FloatField(default=0.0)),
                ('score', models.IntegerField(blank=True, null=True)),
                ('codes', models.JSONField(blank=True, null=True)),
                ('cleared', models.BooleanField(default=False)),
                ('found_after', models.FloatField(blank=True, null=True)),
                ('nodes', models.BigIntegerField(default=0)),
                ('search', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='restarts', to='levels.parsearch')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddIndex(
            model_name='parsearch',
            index=models.Index(fields=['boards_hash', 'id'], name='parsearch_boards'),
        ),
        migrations.AddConstraint(
            model_name='parsearch',
            constraint=models.CheckConstraint(condition=models.Q(('seed__gte', 0), ('seed__lt', 9007199254740992)), name='parsearch_seed'),
        ),
        migrations.AddConstraint(
            model_name='parsearch',
            constraint=models.CheckConstraint(condition=models.Q(('seconds__gte', 1)), name='parsearch_seconds'),
        ),
        migrations.AddConstraint(
            model_name='parsearch',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', [1, 2, 3, 4, 5])), name='parsearch_state'),
        ),
        migrations.AddConstraint(
            model_name='parsearch',
            constraint=models.CheckConstraint(condition=models.Q(('restarts_done__lte', models.F('restarts_total')), ('restarts_total__gte', 1)), name='parsearch_restarts'),
        ),
        migrations.AddIndex(
            model_name='restart',
            index=models.Index(condition=models.Q(('state', 3), _negated=True), fields=['state', 'lease_until'], name='restart_lease'),
        ),
        migrations.AddConstraint(
            model_name='restart',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', [1, 2, 3, 4])), name='restart_lease_state'),
        ),
        migrations.AddConstraint(
            model_name='restart',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 2), _negated=True), ('lease_until__isnull', False), _connector='OR'), name='restart_lease_until_set'),
        ),
        migrations.AddConstraint(
            model_name='restart',
            constraint=models.UniqueConstraint(fields=('search', 'number'), name='restart_number'),
        ),
        migrations.AddConstraint(
            model_name='restart',
            constraint=models.CheckConstraint(condition=models.Q(('limit__gt', 0)), name='restart_limit'),
        ),
        migrations.AddConstraint(
            model_name='restart',
            constraint=models.CheckConstraint(condition=models.Q(('spent__gte', 0), ('spent__lte', 1)), name='restart_spent'),
        ),
        migrations.AddConstraint(
            model_name='restart',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('codes__isnull', True), ('found_after__isnull', True), ('score__isnull', True)), models.Q(('codes__isnull', False), ('found_after__isnull', False), ('score__isnull', False)), _connector='OR'), name='restart_score_with_its_play'),
        ),
    ]

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The store of figures is made anew: of what was in it nobody knows whose data it holds, and it may be emptied."""

    dependencies = [
        ('insights', '0001_initial'),
        ('studies', '0004_drafts_are_numbered'),
    ]

    operations = [
        migrations.DeleteModel(
            name='FigureCache',
        ),
        migrations.CreateModel(
            name='FigureCache',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('rev', models.CharField(max_length=64)),
                ('document', models.JSONField()),
                ('made_at', models.DateTimeField(auto_now=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='studies.study')),
            ],
            options={
                'indexes': [models.Index(fields=['made_at'], name='figurecache_made_at')],
                'constraints': [models.UniqueConstraint(fields=('key',), name='figurecache_key')],
            },
        ),
    ]

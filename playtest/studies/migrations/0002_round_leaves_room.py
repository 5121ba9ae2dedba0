from django.db import migrations

from playtest.studies.vendor import round_leave_room


class Migration(migrations.Migration):

    dependencies = [("studies", "0001_initial")]

    operations = [migrations.RunPython(round_leave_room, migrations.RunPython.noop)]

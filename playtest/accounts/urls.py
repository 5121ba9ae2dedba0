"""Addresses under /staff/ of the accounts themselves; `playtest.urls` adds the dashboard, which knows all apps."""

from django.urls import path

from playtest.accounts import views

app_name = "accounts"
urlpatterns = [
    path("login/", views.login, name="login"),
    path("logout/", views.logout, name="logout"),
    path("password/", views.password, name="password"),
]

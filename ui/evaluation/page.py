"""The page Evaluation: how good the answers on a product are, run by run."""

from functools import partial

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.text.languages import gettext
from eval.reports.history import past_runs
from ui.elements.frame import Access, page, show_tabs
from ui.elements.scope import heading_with_product
from ui.evaluation import drafts_view
from ui.evaluation.run_view import show_run
from ui.evaluation.runs_view import show_runs
from ui.serving import services

TAB = "evaluation tab"
"""The key of the tabs of a product."""


@page("wide", Access.PRODUCT_ADMINS)
def evaluation(person: Person) -> None:
    """Show the runs on a product and its questions, or the run that the address names."""
    products = [product.name for product in services.administered().products()]
    if not products:
        st.title(gettext("Evaluation"), anchor=False)
        st.info(gettext("There is no documentation yet."), icon=":material/science:")
        return
    opened = st.query_params.get("run", "")
    data_dir = services.administered().settings.data_dir
    # The address names no path: it is one of the runs that are there, or nothing.
    for product in products if opened else ():
        for run in past_runs(data_dir, product, alone=not person.is_admin):
            if run.folder.name == opened:
                show_run(person, run)
                return
    product = heading_with_product(gettext("Evaluation"), products, "evaluation product")
    tabs = {gettext("Runs"): partial(show_runs, person, product)}
    if person.is_admin:
        tabs[gettext("Questions")] = partial(drafts_view.show, person, product)
    show_tabs(TAB, tabs)

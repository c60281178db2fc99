"""A trajectory -> networkx graphs and the arrays figures are drawn from. No colours, no pixels, no Streamlit."""

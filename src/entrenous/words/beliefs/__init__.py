"""What an attacker may believe about neighbouring edges: the models under which words are published."""

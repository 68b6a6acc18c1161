"""The queues as operators see them: state, samples, autoscaling."""

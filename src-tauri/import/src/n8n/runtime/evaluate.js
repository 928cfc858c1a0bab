// An expression that fails has no value; one that reads a node without a result stops the workflow.
const evaluate = (expression) => {
  try {
    return expression();
  } catch (error) {
    if (error instanceof NotExecuted) throw error;
    return undefined;
  }
};
const join = (...parts) => parts.map((part) => (part || part === 0 || part === false ? String(part) : "")).join("");

// An expression that fails has no value. One that reads a node without a result stops the workflow, and so does a method that n8n adds
// to values, on a value of another type.
const isMisused = (error) =>
  typeof EXTENDED !== "undefined" && error instanceof TypeError &&
  (error.message.includes("not a function") || EXTENDED.has(/property '(\w+)'/.exec(error.message)?.[1]));
const evaluate = (expression) => {
  try {
    return expression();
  } catch (error) {
    if (error instanceof Stopped || isMisused(error)) throw error;
    return undefined;
  }
};
const join = (...parts) => parts.map((part) => (part || part === 0 || part === false ? String(part) : "")).join("");

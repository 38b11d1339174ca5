/** Fails unless printed has every wanted text and none of the others. */
export function expect(printed, wanted, others = []) {
  for (const text of wanted) if (!printed.includes(text)) throw new Error(`no ${JSON.stringify(text)} in: ${printed.trim().slice(-400)}`);
  for (const text of others) if (printed.includes(text)) throw new Error(`${JSON.stringify(text)} in: ${printed.trim().slice(-400)}`);
}

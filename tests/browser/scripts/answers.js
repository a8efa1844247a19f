// What the worker posts about texts. With `change` each is asked again, of a machine in which that is
// changed; with `traced` the answers hold what each part has computed. The words that are missing stand with
// the texts of the beam search.
async ({ files, texts, width, change = null, traced = false }) => {
  const bytes = Uint8Array.from(atob(files.weights), (character) => character.charCodeAt(0));
  const posted = [];
  const post = (message) => (message.missing ? Object.assign(posted.at(-1).texts, { missing: message.missing.words }) : posted.push(message));
  const answers = new Answers(post);
  answers.load({ ...files, weights: bytes.buffer });
  for (const [number, text] of texts.entries()) {
    await answers.ask({ number, text, given: [] });
    if (width && posted.at(-1).answer.steps) await answers.search({ number, width });
    if (change) await answers.ask({ number, text, given: [], change });
  }
  const list = (map) => ({ ...map, numbers: [...map.numbers] });
  // Infinity is not sent as a number.
  const plain = (numbers) => [...numbers].map((one) => (typeof one === "number" ? (Number.isFinite(one) ? one : null) : plain(one)));
  const trace = (map) => map && Object.fromEntries([...map].map(([name, numbers]) => [name, plain(numbers)]));
  return posted.map(({ answer, texts }) => {
    if (!answer) return texts;
    if (!answer.maps) return answer;
    const known = Object.entries(answer.maps).filter(([, map]) => map);
    const steps = answer.steps.map(({ logits, ...step }) => ({ ...step, logits: [...logits] }));
    const maps = Object.fromEntries(known.map(([name, map]) => [name, list(map)]));
    const told = traced ? { source: trace(answer.trace.source), steps: answer.trace.steps?.map(trace) } : null;
    return { ...answer, steps, maps, trace: told };
  });
}

({ vocabulary, texts }) => {
  const tokenizer = new Tokenizer(vocabulary);
  return texts.map((text) => tokenizer.encode(text).map(({ id }) => id));
}

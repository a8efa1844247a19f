// On the page of the search: entries of the glossary come first, found by any of their words. Without
// this script only a term that is typed nearly whole is found, and its hyphens with it.
{
  const stemmer = new Stemmer();
  const search = Search._performSearch;

  function wordsOf(text) {
    const words = splitQuery(text.toLowerCase()).filter((word) => !stopwords.has(word));
    return words.map((word) => stemmer.stemWord(word));
  }

  // Sphinx shows the last of its results first.
  Search._performSearch = (query, ...terms) => {
    const { indexentries, docnames, titles, filenames } = Search._index;
    const asked = wordsOf(query);
    const found = Object.entries(indexentries).flatMap(([entry, places]) => {
      const own = wordsOf(entry);
      const shared = own.filter((word) => asked.includes(word)).length;
      if (!shared || shared < Math.min(own.length, asked.length)) return [];
      const score = (100 * shared) / Math.max(own.length, asked.length);
      const terms = places.filter(([, id]) => id.startsWith("term-"));
      return terms.map(([file, id]) => [docnames[file], `${titles[file]} > ${entry}`, `#${id}`, null, score, filenames[file], SearchResultKind.index]);
    });
    const anchors = found.map(([, , anchor]) => anchor);
    const others = search(query, ...terms).filter(([, , anchor]) => !anchors.includes(anchor));
    return [...others, ...found.sort(_orderResultsByScoreThenName)];
  };
}

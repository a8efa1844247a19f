// The site without a network: when a reader asks for it all its files are kept, and from then on a page
// is answered from what was kept. FILES, which the build writes above, holds a digest of each file by its
// path: a new version of the site fetches what has changed, and nothing else.

// Several sites may share one address, and with it one store.
const CACHE = registration.scope;
// Each file's own address, and the one that it is kept under.
const KEPT = new Map(
  Object.entries(FILES).map(([path, digest]) => {
    const url = new URL(path, registration.scope).href;
    return [url, `${url}?${digest}`];
  }),
);

// A file that does not arrive ends it; the next visit goes on with what is missing.
async function keep() {
  const cache = await caches.open(CACHE);
  const there = new Set((await cache.keys()).map(({ url }) => url));
  await Promise.all([...KEPT.values()].filter((url) => !there.has(url)).map((url) => cache.add(url)));
  await skipWaiting();
}

async function tidy() {
  const cache = await caches.open(CACHE);
  const needed = new Set(KEPT.values());
  const old = (await cache.keys()).filter(({ url }) => !needed.has(url));
  await Promise.all(old.map((request) => cache.delete(request)));
  await clients.claim();
}

async function answer(request, kept) {
  return (await (await caches.open(CACHE)).match(kept)) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const kept = KEPT.get(origin + pathname.replace(/\/$/, "/index.html"));
  if (kept) event.respondWith(answer(event.request, kept));
});

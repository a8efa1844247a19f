// Resolves when a new version of the service worker is in charge.
async () => {
  const registration = await navigator.serviceWorker.ready;
  const changed = new Promise((done) => {
    navigator.serviceWorker.addEventListener("controllerchange", done);
  });
  await registration.update();
  const late = new Promise((_, fail) => setTimeout(fail, 20000, "no new worker in 20 s"));
  await Promise.race([changed, late]);
}

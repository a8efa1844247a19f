// Where the model comes from: the kernel of a notebook, the page itself if the model is small, a folder
// beside the page, or Jupyter's server. It is {config, vocabulary, weights}, three files: two texts and an
// ArrayBuffer.

const KERNEL_MS = 20000;
const SHORT_MS = 3000; // where the same model can be had without a kernel
const SHIPPED = "transformer_lesson/translation/data/";

async function loadModel(model, el) {
  const [files, folder] = [model.get("files"), model.get("folder")];
  // Jupyter marks the views of a notebook that was saved and opened again, or whose kernel is gone.
  if (model.widget_manager && !el.closest(".jupyter-widgets-disconnected")) {
    const kernel = fromKernel(model, folder ? SHORT_MS : KERNEL_MS);
    const loaded = await (files.weights || folder ? kernel.catch(() => null) : kernel);
    if (loaded) return loaded;
  }
  if (files.weights) return fromPage(files);
  if (folder) return fromFolder(folder);
  throw new Error("a model of this size is in the kernel alone; run its notebook, up to this cell");
}

// Of several views on a page the first loads the model. A page that was opened from a disk may fetch
// nothing beside it, and loads a script.
function fromFolder(folder) {
  const jupyter = document.getElementById("jupyter-config-data");
  const address = jupyter ? onServer(JSON.parse(jupyter.textContent).baseUrl, folder) : new URL(`${folder}/`, document.baseURI).href;
  const loading = (globalThis.lessonModels ??= {});
  loading[address] ??= (address.startsWith("file:") ? fromScript : fromFiles)(address).catch((error) => {
    delete loading[address];
    throw error;
  });
  return loading[address];
}

// Jupyter's server gives out the files of the course, whose notebooks are in a folder of that name.
function onServer(base, folder) {
  const [, above] = location.pathname.match(/\/tree\/(.*?)notebooks\//) ?? ["", ""];
  return new URL(`${base}files/${above}${SHIPPED}${folder.split("/").at(-1)}/`, location.href).href;
}

function fromScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${address}model.js`;
    script.addEventListener("load", () => resolve(fromPage(globalThis.lessonModel)));
    script.addEventListener("error", () => reject(new Error(`${script.src} does not load`)));
    document.head.append(script);
  });
}

async function fromPage({ config, vocabulary, weights }) {
  const bytes = await fetch(`data:application/octet-stream;base64,${weights}`);
  return { config, vocabulary, weights: await bytes.arrayBuffer() };
}

async function fromFiles(address) {
  const read = async (name) => {
    const response = await fetch(address + name);
    if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
    return response;
  };
  const names = ["config.json", "vocabulary.json", "model.safetensors"];
  const [config, vocabulary, weights] = await Promise.all(names.map(read));
  return { config: await config.text(), vocabulary: await vocabulary.text(), weights: await weights.arrayBuffer() };
}

// The kernel makes a widget that holds the files, says its id, and closes it when they have arrived.
async function fromKernel(model, patience) {
  const id = await new Promise((resolve, reject) => {
    const silence = new Error("no kernel answers; run the cell again");
    const timer = setTimeout(() => reject(silence), patience);
    // Another view of the same model may ask at the same time, and each has files of its own.
    const asks = String(Math.random());
    const heard = ({ files, asked }) => {
      if (asked !== asks) return;
      clearTimeout(timer);
      model.off("msg:custom", heard);
      resolve(files);
    };
    model.on("msg:custom", heard);
    model.send({ asks });
  });
  const files = await model.widget_manager.get_model(id);
  const { buffer, byteOffset, byteLength } = files.get("weights");
  const loaded = {
    config: files.get("config"),
    vocabulary: files.get("vocabulary"),
    weights: buffer.slice(byteOffset, byteOffset + byteLength),
  };
  model.send({ arrived: id });
  return loaded;
}

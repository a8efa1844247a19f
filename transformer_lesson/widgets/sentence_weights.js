// Where the model comes from: the kernel of a notebook, the page itself if the model is small, or a
// folder beside the page. It is {config, vocabulary, weights}, three files, the last an ArrayBuffer.

const KERNEL_MS = 20000;

async function loadModel(model) {
  if (model.widget_manager) return fromKernel(model);
  if (model.get("files")) return fromPage(model.get("files"));
  if (model.get("folder")) return fromFolder(model.get("folder"));
  throw new Error("a page holds no model of this size, only a notebook in JupyterLab does");
}

function fromPage({ config, vocabulary, weights }) {
  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  return { config: JSON.parse(config), vocabulary: JSON.parse(vocabulary), weights: bytes.buffer };
}

async function fromFolder(folder) {
  const read = async (name) => {
    const response = await fetch(new URL(`${folder}/${name}`, document.baseURI));
    if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
    return response;
  };
  const names = ["config.json", "vocabulary.json", "model.safetensors"];
  const [config, vocabulary, weights] = await Promise.all(names.map(read));
  return { config: await config.json(), vocabulary: await vocabulary.json(), weights: await weights.arrayBuffer() };
}

// The kernel makes a widget that holds the files, says its id, and closes it when they have arrived.
async function fromKernel(model) {
  const id = await new Promise((resolve, reject) => {
    const silence = new Error("no kernel answers; run the cell again");
    const timer = setTimeout(() => reject(silence), KERNEL_MS);
    model.on("msg:custom", ({ files }) => {
      clearTimeout(timer);
      resolve(files);
    });
    model.send({ asks: "files" });
  });
  const files = await model.widget_manager.get_model(id);
  const { buffer, byteOffset, byteLength } = files.get("weights");
  const loaded = {
    config: JSON.parse(files.get("config")),
    vocabulary: JSON.parse(files.get("vocabulary")),
    weights: buffer.slice(byteOffset, byteOffset + byteLength),
  };
  model.send({ arrived: id });
  return loaded;
}

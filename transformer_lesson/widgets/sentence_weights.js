// Where the model comes from: the kernel of a notebook, or a folder beside a page. Either way it is
// {config, vocabulary, weights}, the three files of a translator, the last as an ArrayBuffer.

const KERNEL_MS = 20000;

function loadModel(model) {
  return model.widget_manager ? fromKernel(model) : fromFolder(model.get("folder"));
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

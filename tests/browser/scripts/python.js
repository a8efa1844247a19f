async code => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code });
  let printed = "";
  future.onIOPub = ({ content }) => { printed += content.text ?? ""; };
  await future.done;
  return printed;
}

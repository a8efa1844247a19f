async () => {
  const panel = jupyterapp.shell.currentWidget;
  await panel.sessionContext.ready;
  await jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
  await jupyterapp.commands.execute('notebook:run-all-cells');
}

// Starts "sluice lsp" for pipeline files, and starts it again when its settings change.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("sluice");
  const variables = Object.entries(settings.get("variables")).flatMap(([name, value]) => ["--var", `${name}=${value}`]);
  client = new LanguageClient(
    "sluice",
    "sluice",
    { command: settings.get("path"), args: ["lsp", ...variables] },
    { documentSelector: [{ language: "sluice" }] },
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`sluice: cannot start ${settings.get("path")}: ${error.message}. Set sluice.path to the program.`);
  }
}

async function stop() {
  const before = client;
  client = undefined;
  if (before?.isRunning()) await before.stop();
}

async function restart() {
  await stop();
  await start();
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("sluice.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("sluice")) return restart();
    }),
  );
  await start();
};

exports.deactivate = stop;

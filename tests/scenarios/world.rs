//! What a fork asks the world for: nothing that is recorded, unless a person wants it live; and what happens where nothing is recorded.

use serde_json::json;

use crate::http_tools::{Machine, WebServer};
use crate::support::binary::CliOutput;
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

const ALLOWED: &str = "host=127.0.0.1,folder=.";

/// An order, a page, a file, the clock and chance, and a chat about all of them.
struct World {
    machine: Machine,
    web: WebServer,
    model: ModelServer,
}

impl World {
    async fn start() -> Self {
        let (machine, web) = (Machine::default(), WebServer::start().await);
        let model =
            ModelServer::start(|request, _| ServerReply::Text(format!("re: {}", last_message_text(request))));
        let model = model.await;
        machine.home.set_provider_url(&model.url).await;
        machine.write("notes.md", "as it was");
        let world = Self { machine, web, model };
        world.write("/menu");
        world
    }

    /// Writes the flow, which asks for this page.
    fn write(&self, page: &str) -> String {
        let nodes = json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
            "tea": { "type": "value", "config": { "value": "tea" } },
            "order": { "type": "httpRequest", "config": { "method": "POST", "url": self.web.url("/orders") } },
            "look": { "type": "httpRequest", "config": { "url": self.web.url(page) } },
            "notes": { "type": "readFile", "config": { "path": "notes.md" } },
            "dice": { "type": "code", "config": { "code": "return [Math.random(), Date.now(), input];" } },
            "chat": {
                "type": "chat",
                "config": { "prompt": "{{status}} {{page}} {{notes}} {{dice}}", "maxTokens": 10 },
            },
            "out": { "type": "output" },
        });
        let edges = [
            "start.context -> chat.context",
            "tea.value -> order.body",
            "order.status -> dice.input",
            "order.status -> chat.status",
            "look.status -> chat.page",
            "notes.text -> chat.notes",
            "dice.result -> chat.dice",
            "chat.response -> out.value",
        ];
        self.machine.write("order.flow.json", &flow_json("order", nodes, &edges).to_string())
    }

    fn plait(&self, args: &[&str]) -> CliOutput {
        self.machine.plait(args)
    }

    /// How many requests reached the web server and the model server.
    fn requests(&self) -> (usize, usize) {
        (self.web.lines().len(), self.model.calls().len())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rerun_asks_nobody_unless_a_part_of_the_world_is_live() {
    let world = World::start().await;
    let first = world.plait(&["run", &world.write("/menu"), "--allow", ALLOWED]);
    assert_eq!((first.code, world.requests()), (0, (2, 1)), "{first:#?}");
    world.machine.write("notes.md", "as it is");

    let again = world.plait(&["rerun", "last"]);
    assert_eq!((again.code, &again.out), (0, &first.out), "{again:#?}");
    assert_eq!(world.requests(), (2, 1), "page, order, file, clock and chance are as recorded");

    let bill = world.plait(&["rerun", "last", "--live", "look", "--bill"]);
    assert!(bill.err.contains("Makes 1 tool call: http_request in `look`."), "{bill:#?}");
    assert!(bill.err.contains("What follows in `chat` depends on that"), "{bill:#?}");
    assert_eq!(world.requests(), (2, 1), "a bill asks nobody");

    let same = world.plait(&["rerun", "last", "--live", "look", "--yes"]);
    assert_eq!((same.code, &same.out), (0, &first.out), "{same:#?}");
    assert_eq!(world.requests(), (3, 1), "the page says the same, so the reply is the same");
    assert_eq!(world.web.lines()[2], "GET /menu");

    let file = world.plait(&["rerun", "last", "--live", "tool:read_file", "--yes"]);
    assert!(file.code == 0 && file.out.contains("as it is"), "{file:#?}");
    assert_eq!(world.requests(), (3, 2), "another file is another prompt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_of_one_type_ask_again_and_others_do_not() {
    let world = World::start().await;
    let first = world.plait(&["run", &world.write("/menu"), "--allow", ALLOWED]);
    assert_eq!((first.code, world.requests()), (0, (2, 1)), "{first:#?}");
    world.machine.write("notes.md", "as it is");

    let bill = world.plait(&["rerun", "last", "--live", "type:httpRequest", "--bill"]);
    assert!(bill.err.contains("Makes 2 tool calls"), "{bill:#?}");
    assert_eq!(world.requests(), (2, 1), "a bill asks nobody");
    let requests = world.plait(&["rerun", "last", "--live", "type:httpRequest", "--yes"]);
    assert_eq!((requests.code, &requests.out), (0, &first.out), "{requests:#?}");
    assert_eq!(world.requests(), (4, 1), "page and order are asked for again, the file is as recorded");
    let file = world.plait(&["rerun", "last", "--live", "type:readFile", "--yes"]);
    assert!(file.code == 0 && file.out.contains("as it is"), "{file:#?}");
    assert_eq!(world.requests(), (4, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_recorded_fails_or_is_asked_for_as_the_person_wants() {
    let world = World::start().await;
    let first = world.plait(&["run", &world.write("/menu"), "--allow", ALLOWED]);
    assert_eq!((first.code, world.requests()), (0, (2, 1)), "{first:#?}");

    let whole = world.plait(&["rerun", "last", "--misses", "fail"]);
    assert_eq!((whole.code, &whole.out), (0, &first.out), "{whole:#?}");

    let file = world.write("/menu");
    let reworded = std::fs::read_to_string(&file).unwrap().replace("{{status}}", "The status is {{status}}");
    std::fs::write(&file, reworded).unwrap();
    let fails = world.plait(&["rerun", "last", "--flow", &file, "--yes", "--misses", "fail"]);
    assert_eq!((fails.code, world.requests()), (1, (2, 1)), "no model is asked: {fails:#?}");
    assert!(fails.err.contains("Fails, since what they ask for is not recorded: `chat`."), "{fails:#?}");

    let file = world.write("/other");
    let earlier = run_made_by(&whole);
    let edit = ["rerun", earlier, "--flow", &file, "--allow", ALLOWED, "--yes", "--misses"];
    let fails = world.plait(&[&edit[..], &["fail"]].concat());
    assert_eq!(fails.code, 1, "{fails:#?}");
    assert!(fails.err.contains("Fails, since what they ask for is not recorded: `look`."), "{fails:#?}");
    assert!(fails.err.contains("run.not_recorded"), "{fails:#?}");
    assert_eq!(world.requests(), (2, 1), "nothing was asked for");

    let asks = ["rerun", earlier, "--flow", &file, "--allow", ALLOWED, "--yes", "--misses", "ask"];
    let waits = world.plait(&asks);
    assert_eq!((waits.code, world.requests()), (3, (2, 1)), "{waits:#?}");
    assert!(waits.err.contains("The run that is repeated has no result of it."), "{waits:#?}");
    let goes_on = world.plait(&["resume", "last", "--answer", "yes"]);
    assert_eq!((goes_on.code, &goes_on.out), (0, &first.out), "{goes_on:#?}");
    assert_eq!(world.requests(), (3, 1), "the other page says the same");
    assert_eq!(world.web.lines()[2], "GET /other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_parts_that_are_not_there_are_named() {
    let world = World::start().await;
    world.plait(&["run", &world.write("/menu"), "--allow", ALLOWED]);
    for (part, hint) in [
        ("nobody", "The flow has no node `nobody`"),
        ("tool:nothing", "It called `http_request`, `read_file`, `run_code`."),
        ("type:nothing", "`chat`, `code`, `contextStart`, `httpRequest`"),
    ] {
        let refused = world.plait(&["rerun", "last", "--live", part]);
        assert_eq!(refused.code, 1, "{refused:#?}");
        assert!(refused.err.contains("run.no_place") && refused.err.contains(hint), "{refused:#?}");
    }
    assert_eq!(world.requests(), (2, 1));
}

/// The ID of the run that a rerun made.
fn run_made_by(output: &CliOutput) -> &str {
    let (_, id) = output.err.split_once(" as run ").unwrap();
    id.lines().next().unwrap()
}

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch, with the modules that every distribution of it has. */
public final class Node extends org.opensearch.node.Node {
    private Node(Settings settings, Path home) {
        super(
                InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home, () -> "node"),
                List.of(Netty4Plugin.class, ReindexPlugin.class, CommonAnalysisPlugin.class),
                true);
    }

    /** Runs until it is told to stop: the folder it may write in, then settings as name=value. */
    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        for (String setting : List.of(arguments).subList(1, arguments.length)) {
            String[] parts = setting.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        Node node = new Node(settings.build(), home);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node, stopped)));
        node.start();
        stopped.await();
    }

    private static void stop(Node node, CountDownLatch stopped) {
        try {
            node.close();
        } catch (IOException error) {
            error.printStackTrace();
        }
        stopped.countDown();
    }
}
